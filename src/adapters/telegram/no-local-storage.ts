/**
 * The Telegram library, in the form that uses Node's own fetch, looks once for a browser's storage, and Node warns on standard error
 * that it has none. A server has none: said before the library is loaded, nobody is warned. Nothing else is done here.
 */
Object.defineProperty(globalThis, 'localStorage', { value: undefined, configurable: true, writable: true })
