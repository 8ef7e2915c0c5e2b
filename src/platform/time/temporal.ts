/**
 * Loads a polyfill of Temporal where Node lacks it (24 and 25). Imported by code that opens a
 * store, which computes days (DC1).
 */
if (!('Temporal' in globalThis)) await import('temporal-polyfill/global')

export {}
