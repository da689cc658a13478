/** The properties of the key decoder over many streams that nobody has run before: `npm run test:fuzz`. */
import '../properties/key-decoder.test.ts';
