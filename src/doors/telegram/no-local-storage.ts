/**
 * Prevents a warning of Node: the Telegram library's web build looks for localStorage once. Must be
 * loaded before it.
 */
Object.defineProperty(globalThis, 'localStorage', {
  value: undefined,
  configurable: true,
  writable: true,
})
