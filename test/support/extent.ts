/**
 * How much a test does: a small part in `npm test`, which has five minutes, and all of it in
 * `npm run test:release`. What runs only there is in a file of its own, `*.release.test.ts`.
 */
export const amount = <T>(usual: T, release: T): T =>
  process.env['TEST_EXTENT'] === 'release' ? release : usual
