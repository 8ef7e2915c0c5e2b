/** Puts the theme on the page before anything is painted. Only that; the rest is web/src. */
const dark = matchMedia('(prefers-color-scheme: dark)').matches
let chosen = null
try {
  chosen = localStorage.getItem('holdfast.theme')
} catch {
  // Storage can be forbidden; then the system's theme applies.
}
document.documentElement.dataset.theme =
  chosen === 'light' || chosen === 'dark' ? chosen : dark ? 'dark' : 'light'
