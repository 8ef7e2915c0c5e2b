/**
 * `npm run test:agents`: one after the other, because each of these agents wants a machine for
 * itself. Not part of `npm test`.
 */
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const minuteMs = 60_000

export default defineConfig({
  root: join(import.meta.dirname, '..', '..'),
  test: {
    include: ['test/real-agents/*.suite.ts'],
    globalSetup: ['test/support/bundle-writers.ts', 'test/support/built-product.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 5 * minuteMs,
    reporters: ['verbose'],
  },
})
