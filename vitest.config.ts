/**
 * How the tests run. `fast` (everything that needs no process of the product) uses every core; `processes` (journeys, faults and the
 * browser) starts servers and Chromium of its own and waits for them much of the time. `npm test` runs both at once
 * (scripts/test.ts); by hand, one after the other. `release` is what takes too long for each change: `npm run test:release`.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { FileOrder } from './test/support/file-order.ts'

const forRelease = 'test/**/*.release.test.ts'
const processHeavy = [
  'test/journeys/**/*.test.ts',
  'test/browser/**/*.test.ts',
  'test/faults/**/*.test.ts',
]

const shared = {
  pool: 'forks',
  // A worker takes one file after the other: the product keeps no state in its modules, and a new process for each of 150 files
  // would load the same sources 150 times.
  isolate: false,
  // Node reads the sources itself, as it runs the product from them: to carry each through vite costs a quarter of the processor's time.
  experimental: { viteModuleRunner: false },
  globalSetup: [
    'test/support/bundle-writers.ts',
    'test/support/built-product.ts',
    'test/support/bubblewrap.ts',
  ] as string[],
  // What the product loads where it opens a store: the tests run on every Node that it runs on.
  setupFiles: ['src/platform/time/temporal.ts'] as string[],
  retry: 0,
  // All limits are only for what hangs: on a machine with other things to do everything takes many times as long.
  expect: { poll: { timeout: 30_000 } },
  allowOnly: false,
  restoreMocks: true,
  unstubEnvs: true,
} as const

const ofProcesses = {
  setupFiles: [...shared.setupFiles, 'test/support/every-git.ts'],
  // They wait for what they started about as long as they work.
  maxWorkers: Math.max(4, Math.floor(availableParallelism() / 2)),
  testTimeout: 180_000,
  hookTimeout: 180_000,
} as const

export default defineConfig({
  test: {
    sequence: { sequencer: FileOrder },
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
          exclude: [...processHeavy, forRelease],
          maxWorkers: availableParallelism(),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'processes',
          include: processHeavy,
          exclude: [forRelease],
          ...ofProcesses,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'release',
          include: [forRelease],
          ...ofProcesses,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
