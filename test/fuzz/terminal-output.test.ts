/** The property of a footer over many streams that nobody has run before: `npm run test:fuzz`. */
import '../properties/terminal-output.test.ts';
