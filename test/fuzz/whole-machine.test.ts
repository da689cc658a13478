/** The property of the whole machine over many programs that nobody has run before: `npm run test:fuzz`. */
import '../properties/whole-machine.test.ts';
