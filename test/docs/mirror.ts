/**
 * A page in another language says the same: the same headings, the same code, the same links, in the same order.
 *
 * @module
 */

/** What a translation must not change. */
interface Skeleton {
  readonly headings: readonly number[];
  readonly fences: readonly string[];
  readonly links: readonly string[];
  readonly rows: number;
}

function skeletonOf(text: string): Skeleton {
  const prose = text.replace(/^```[^]*?^```$/gm, '');
  return {
    headings: [...prose.matchAll(/^(#+) /gm)].map(([, marks = '']) => marks.length),
    fences: text.match(/^```[^]*?^```$/gm) ?? [],
    links: [...prose.matchAll(/\]\(([^)]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^README(?:_\w+)?\.md$/.test(link))
      .sort(),
    rows: prose.match(/^\|/gm)?.length ?? 0,
  };
}

/** In what a translation differs from its original; nothing if it mirrors it. */
export function mirrorFaults(original: string, translation: string): string[] {
  const [one, other] = [skeletonOf(original), skeletonOf(translation)];
  return (Object.keys(one) as (keyof Skeleton)[]).flatMap((part) =>
    JSON.stringify(one[part]) === JSON.stringify(other[part]) ? [] : [`${part} differ`],
  );
}
