/** `npm run test:editors`: real editors on a server of ours. Not part of `npm test`. */
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: join(import.meta.dirname, '..', '..'),
  test: {
    include: ['test/editors/*.suite.ts'],
    globalSetup: ['test/support/bundle-writers.ts', 'test/support/built-product.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    reporters: ['verbose'],
  },
})
