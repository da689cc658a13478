/** The page: a list of runs that is read out when it changes, and a Stop button each. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Runs</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  li { display: flex; gap: 1rem; align-items: baseline; padding: 0.25rem 0; }
  li > span { flex: 1; }
  button { font: inherit; padding: 0.25rem 1rem; }
</style>
<main>
  <h1 id="title">Runs</h1>
  <button id="start" type="button">Start a run</button>
  <p id="empty">No run yet.</p>
  <ul id="runs" aria-labelledby="title"></ul>
  <p role="status" id="news"></p>
</main>
<script type="module">
  const list = document.querySelector('#runs');
  const news = document.querySelector('#news');
  const items = new Map();
  let events;

  function item(id) {
    if (items.has(id)) return items.get(id);
    const row = document.createElement('li');
    const text = document.createElement('span');
    const stop = document.createElement('button');
    stop.type = 'button';
    stop.textContent = 'Stop';
    stop.setAttribute('aria-label', 'Stop run ' + id);
    stop.onclick = async () => {
      stop.disabled = true;
      const body = JSON.stringify({ reason: 'pressed Stop', wait: 'settled' });
      const answer = await fetch('/runs/' + id + '/cancel', { method: 'POST', body }).catch(() => undefined);
      const { status = 'unconfirmed' } = (await answer?.json().catch(() => undefined)) ?? {};
      news.textContent = 'Run ' + id + ': ' + status;
      // Nobody knows whether it arrived, so it may be pressed again.
      stop.disabled = answer?.ok === true;
    };
    row.append(text, stop);
    list.append(row);
    items.set(id, { text, stop });
    document.querySelector('#empty').hidden = true;
    return items.get(id);
  }

  function show({ runId, state, doing, instance, stop }) {
    const { text, stop: button } = item(runId);
    const said = { open: 'running', silent: 'not answering' }[state] ?? state;
    const asked = stop === undefined || state === 'closed' ? '' : ' (stop ' + stop.status + ')';
    text.textContent = runId + ' on ' + (instance ?? 'nobody') + ': ' + said + asked + ', ' + (doing ?? '');
    if (state === 'closed') {
      button.hidden = true;
      news.textContent = 'Run ' + runId + ' has ended: ' + doing;
    }
  }

  function listen() {
    events?.close();
    if (items.size === 0) return;
    events = new EventSource('/runs/' + [...items.keys()].slice(-50).map(encodeURIComponent).join(',') + '/status');
    events.addEventListener('status', ({ data }) => show(JSON.parse(data)));
    events.addEventListener('closed', () => events.close());
  }

  document.querySelector('#start').onclick = async () => {
    const { id } = await (await fetch('/runs', { method: 'POST' })).json();
    item(id);
    news.textContent = 'Run ' + id + ' was started';
    listen();
  };
  for (const { id } of await (await fetch('/runs')).json()) item(id);
  listen();
</script>
</html>`;
