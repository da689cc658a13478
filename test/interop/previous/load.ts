/** Loads a package as this folder has it: the major before the newest. A specifier is resolved from the file that imports it. */
export const load = (name: string): Promise<unknown> => import(name);
