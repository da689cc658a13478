/**
 * Links and paths inside the repository's Markdown lead somewhere.
 *
 * @module
 */
import { posix } from 'node:path';

/** The anchor that a heading gets when it is rendered. */
function anchorOf(heading: string): string {
  return heading
    .replace(/`|\*|\[|\]\([^)]*\)/g, '')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function withoutCode(text: string): string {
  return text.replace(/^\s*```[^]*?^\s*```/gm, (block) => block.replace(/[^\n]/g, '')).replace(/`[^`\n]*`/g, '');
}

function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replace(/^\s*```[^]*?^\s*```/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${String(count)}`;
    anchors.add(unique);
  }
  for (const [, id = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/**
 * Lists links that lead nowhere.
 *
 * @param pages Markdown files by path.
 * @param exists Whether the repository has a file or folder.
 */
export function deadLinks(pages: ReadonlyMap<string, string>, exists: (path: string) => boolean): string[] {
  const lines: string[] = [];
  for (const [page, text] of pages) {
    for (const match of withoutCode(text).matchAll(
      /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)/gm,
    )) {
      const link = match[1] ?? match[2] ?? '';
      if (/^[a-z][a-z0-9+.-]*:/i.test(link)) continue;
      const [path = '', anchor] = link.split('#', 2);
      const target = path === '' ? page : posix.join(posix.dirname(page), decodeURI(path));
      const line = `${page}:${String(text.slice(0, match.index).split('\n').length)}`;
      const targetText = pages.get(target);
      if (targetText === undefined && !exists(target)) lines.push(`${line}: ${link} does not exist`);
      else if (anchor !== undefined && targetText !== undefined && !anchorsOf(targetText).has(anchor)) {
        lines.push(`${line}: ${link} has no such heading`);
      }
    }
  }
  return lines;
}

/**
 * Lists paths of the repository, written as code, at which there is nothing. A name in capitals stands for any name.
 *
 * @param pages Markdown files by path.
 * @param exists Whether the repository has a file or folder.
 */
export function deadPaths(pages: ReadonlyMap<string, string>, exists: (path: string) => boolean): string[] {
  const lines: string[] = [];
  for (const [page, text] of pages) {
    const prose = text.replace(/^\s*```[^]*?^\s*```/gm, (block) => block.replace(/[^\n]/g, ''));
    for (const match of prose.matchAll(/`((?:src|test|docs|examples|bench|scripts)\/[\w./-]*)`/g)) {
      const path = match[1] ?? '';
      if (/(?:^|\/)[A-Z]+(?:\/|\.|$)/.test(path) || path.startsWith('docs/api') || exists(path)) continue;
      lines.push(`${page}:${String(text.slice(0, match.index).split('\n').length)}: ${path} does not exist`);
    }
  }
  return lines;
}
