/**
 * The door `desist/vscode`: between our tokens and those of editors, language servers and JSON-RPC connections, both ways.
 * Among the adapters because it knows an editor's manners, and no editor: everything is typed by structure.
 * Prior art: VS Code's `CancellationToken`.
 *
 * @module desist/vscode
 */
export { fromEditorToken, type EditorBridge, type FromEditorTokenOptions } from './from-editor-token.ts';
export { toEditorToken, type EditorDisposable, type EditorToken, type EditorTokenHandle } from './to-editor-token.ts';
export { withEditorToken } from './with-editor-token.ts';
