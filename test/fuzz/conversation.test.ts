/** The property of conversations over many random turns that nobody has run before: `npm run test:fuzz`. */
import '../transcript/conversation/at-every-event.test.ts';
