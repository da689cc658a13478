/** The Ink that people have, as far as their majors are played. */
import { majors } from '../majors.ts';

const versions = [
  { title: 'Ink 8', MAJOR: 'newest', INK: 'ink', hands: true },
  { title: 'Ink 7', MAJOR: 'previous', INK: 'ink', hands: true },
  { title: 'Ink 6', MAJOR: 'previous', INK: 'ink-6', hands: false },
];

/** `hands`: it has a way to hand the terminal over. */
export const inks = versions.filter(({ MAJOR }) => majors.some(({ name }) => name === MAJOR));
