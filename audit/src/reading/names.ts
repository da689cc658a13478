/**
 * Names that say what code is about, where types cannot.
 *
 * @module
 */

/** Keys under which options hand a signal on. */
export const signalKey =
  /^(?:signal|abortSignal|abort_signal|abort|token|cancellationToken|cancelToken|cancelSignal|abortController|tokenSource)$/i;

/** Somebody thought of a stop here. */
export const aboutStopping = /abort|cancel|stopp(?:ed|ing)|\bstop\b|isStop|interrupt|throwIf|classify|rethrow/i;

/** Work that is done because of a stop, or after it: it must not be stopped by it. */
export const aboutEnding =
  /^(?:_|#|async|handle|on|maybe|try|do|safe|force)?(?:abort|cancel|stop|kill|dispose|close|clean|shutdown|teardown|tearDown|destroy|release|rollback|revert|undo|disconnect|remove|terminate|unlock|unsubscribe|interrupt)/i;

/** Functions that call back later, for something that happened. */
export const registersListener = /^(?:addEventListener|addListener|once|on|onCancelled|onAbort|onKilled|subscribe)$/;

/** Functions under which tools and models are registered. */
export const toolFunction =
  /^(?:execute|handler|invoke|run|call|func|_run|_call|_execute|doGenerate|doStream|execute_?tool|callTool)$/i;

/** Objects that only write down what they are given. */
export const writesDown = /^(?:console|log|logger|logging|debug|telemetry|sentry|tracer|span)$|logger$|log$/i;
