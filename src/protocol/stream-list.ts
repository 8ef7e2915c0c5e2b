/**
 * Several streams in one query parameter (HT6), with commas between. In a name a comma is `%2C`, a
 * percent sign `%25`.
 */
export const joinStreams = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')

/** Other percent signs stand for themselves, so that keys can be typed as they are. */
export const splitStreams = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.replaceAll(/%2c|%25/gi, (written) => (written === '%25' ? '%' : ',')))
