/**
 * Where the letters of other scripts stand on a keyboard, by the Latin letter of the same key: Ctrl+C is the key C, whatever it types.
 * A terminal that knows the key says it; the others say what it would have typed.
 *
 * Where two layouts of one script differ, it is the one that more people have: the key C of the Serbian and the Bulgarian one is told by
 * the terminal or not at all.
 *
 * Prior art: the layouts of xkeyboard-config; VS Code's keybindings by key.
 *
 * @module
 */

/** Of each layout keys, and what they type, in the same order. */
const layouts: readonly (readonly [keys: string, letters: string])[] = [
  ["qwertyuiop[]asdfghjkl;'zxcvbnm,.`", 'йцукенгшщзхъфывапролджэячсмитьбюё'], // Russian
  ["s']", 'ієї'], // Ukrainian and Belarusian, where they differ
  ['wertyuiopasdfghjklzxcvbnm', 'ςερτυθιοπασδφγηξκλζχψωβνμ'], // Greek
  ['ertyuiopasdfghjkl;zxcvbnm,.', 'קראטוןםפשדגכעיחלךףזסבהנמצתץ'], // Hebrew
  ['qwertyuiop[]asdfghjkl;zxcvnm', 'ضصثقفغعهخحجدشسيبلاتنمكئءؤرىة'], // Arabic
  ['zxcdm', 'ظطزیپ'], // Persian, where it differs
  ['qwertyuiopasdfghjklzxcvbnm', 'ქწერტყუიოპასდფგჰჯკლზხცვბნმ'], // Georgian
  ['qwertyuiopasdfghjklzxcvbnm', 'ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ'], // Korean
  ['qwertyuiop[]asdfghjkl;zxcvbnm', 'ๆไำพะัีรนยบลฟหกดเ้่าสวผปแอิืท'], // Thai
];

const keyOf = new Map<string, string>();
for (const [keys, letters] of layouts) {
  for (const [index, letter] of Array.from(letters).entries()) keyOf.set(letter, keys.charAt(index));
}

/** The Latin letter of the key that types a character; the character itself where that is not known, or is Latin anyhow. */
export function latinKey(character: string): string {
  return keyOf.get(character) ?? character;
}
