/**
 * Builds the service worker: tells web/service-worker.js which files are the shell of this build,
 * and names the build, so that a new one replaces the old one whole.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

export function offlineShell(): Plugin {
  let root = ''
  return {
    name: 'holdfast:offline-shell',
    apply: 'build',
    configResolved: (config) => {
      root = config.root
    },
    writeBundle: {
      // Before the files are compressed, and from what was really written: one file that is missing
      // fails the whole shell.
      order: 'pre',
      sequential: true,
      async handler({ dir = '' }) {
        const assets = (await readdir(join(dir, 'assets'))).sort()
        const shell = [
          '/',
          '/early.js',
          '/icon.svg',
          '/manifest.webmanifest',
          ...assets.map((name) => `/assets/${name}`),
        ]
        const source = await readFile(join(root, 'service-worker.js'), 'utf8')
        const build = createHash('sha256')
          .update(source)
          .update(shell.join())
          .digest('hex')
          .slice(0, 12)
        await writeFile(
          join(dir, 'service-worker.js'),
          `self.shellOfBuild = ${JSON.stringify({ build, shell })}\n${source}`,
        )
      },
    },
  }
}
