/** Temporal where Node does not have it yet (24 and 25). Imported for this alone, by whoever opens a store: days are reckoned with it (DC1). */
if (!('Temporal' in globalThis)) await import('temporal-polyfill/global')

export {}
