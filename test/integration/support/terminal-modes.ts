/** What a program has switched on in its terminal and not off again, from what it wrote: each `on` counts, as a stack does. */
const switches = {
  kitty: ['\x1b[>5u', '\x1b[<u'],
  modifyOtherKeys: ['\x1b[>4;2m', '\x1b[>4m'],
  paste: ['\x1b[?2004h', '\x1b[?2004l'],
  focus: ['\x1b[?1004h', '\x1b[?1004l'],
} as const;

export function switchedOn(written: string): string[] {
  const count = (text: string): number => written.split(text).length - 1;
  return Object.entries(switches).flatMap(([name, [on, off]]) => {
    const left = count(on) - count(off);
    if (left !== 0 && left !== 1) throw new Error(`${name} was left on ${String(left)} times`);
    return left === 1 ? [name] : [];
  });
}
