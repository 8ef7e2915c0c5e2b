/**
 * What a browser says of itself in its User-Agent, short enough for a list: Firefox, Linux. Anybody
 * can write it.
 */
const browsers = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const

const systems = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const

const maxOtherChars = 40

export function browserName(userAgent: string | undefined): string {
  const given = userAgent ?? ''
  const of = (patterns: readonly (readonly [string, RegExp])[]) =>
    patterns.find(([, sign]) => sign.test(given))?.[0]
  const name = [of(browsers), of(systems)].filter(Boolean).join(', ')
  const [product = ''] = given.split(/[\s/(]/)
  return name || product.replaceAll(/[^\w.-]/g, '').slice(0, maxOtherChars) || 'browser'
}
