/**
 * Names the pages of the site by the first words of their headings and groups them by their folders: TypeDoc would call them by their
 * files, in one long list.
 *
 * @module
 */
import { Converter, ReflectionKind, type Application, type Context } from 'typedoc';

const groups: readonly (readonly [folder: RegExp, group: string])[] = [
  [/docs\/concepts\//, 'Concepts'],
  [/docs\/guides\/transcript\//, 'Conversations'],
  [/docs\/guides\//, 'Guides'],
  [/docs\/recipes\//, 'To copy'],
  [/docs\/migration\//, 'Coming from'],
  [/docs\//, 'Start'],
];

/** Called by TypeDoc. */
export function load(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    // The first page has the name of the package above it.
    const [first] = project.readme ?? [];
    if (first !== undefined) first.text = first.text.replace(/^# .*\n/, '');
    for (const page of project.getReflectionsByKind(ReflectionKind.Document)) {
      if (!page.isDocument()) continue;
      const text = page.content.map((part) => part.text).join('');
      const [, heading = ''] = /^\s*# ([^:\n]+)/.exec(text) ?? [];
      if (heading !== '') page.name = heading.replaceAll('`', '').trim();
      const path = project.files.getReflectionPath(page) ?? '';
      const [, group = 'Guides'] = groups.find(([folder]) => folder.test(path)) ?? [];
      page.frontmatter['group'] = group;
    }
  });
}
