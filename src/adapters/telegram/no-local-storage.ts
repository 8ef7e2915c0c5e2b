/**
 * Prevents a warning of Node: the web build of the Telegram library looks for localStorage once. Must be loaded before the
 * library.
 */
Object.defineProperty(globalThis, 'localStorage', { value: undefined, configurable: true, writable: true })
