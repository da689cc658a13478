/** The page around the program. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Chat</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  form { display: flex; gap: 0.5rem; }
  input { flex: 1; }
  input, button { font: inherit; padding: 0.25rem 0.75rem; }
</style>
<main id="app"></main>
<script type="module" src="/app.js"></script>
</html>`;
