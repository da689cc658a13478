/**
 * The style sheet of the page, for light and dark.
 *
 * @module
 */

/** Colours are never the only sign: each outcome is written out as well. */
export const timelineStyle = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d0d7de; --completed: #1a7f37; --cancelled: #6e40c9;
  --failed: #9a6700; --detached: #0969da; --other: #57606a; --survivor: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --line: #30363d; --completed: #3fb950;
  --cancelled: #a371f7; --failed: #d29922; --detached: #58a6ff; --other: #8b949e; --survivor: #ff7b72; } }
body { margin: 1.5rem; font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding: .5rem 0; }
th, td { text-align: left; font-weight: normal; padding: .2rem .5rem; border-bottom: 1px solid var(--line); }
thead th { font-weight: 600; }
.lane { width: 50%; min-width: 12rem; }
.track { position: relative; height: 1rem; }
.bar, .stop { position: absolute; top: 0; bottom: 0; }
.bar { min-width: 3px; border-radius: 2px; background: var(--other); }
.stop { width: 2px; background: var(--ink); }
.completed .bar { background: var(--completed); }
.cancelled .bar { background: var(--cancelled); }
.failed .bar { background: var(--failed); }
.detached .bar { background: var(--detached); }
.survivor .bar { background: var(--survivor); }
.survivor, .alarm { color: var(--survivor); font-weight: 600; }
tbody tr:focus-visible { outline: 3px solid var(--detached); outline-offset: -2px; }
`;
