/**
 * Builds the service worker: tells web/service-worker.js which files are the shell of this build, and names the build,
 * so that a new one replaces the old one whole.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
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
    async generateBundle(_, bundle) {
      const assets = Object.keys(bundle).filter((name) => name.startsWith('assets/'))
      const files = ['/', '/early.js', '/icon.svg', '/manifest.webmanifest', ...assets.map((name) => `/${name}`)]
      const source = await readFile(join(root, 'service-worker.js'), 'utf8')
      const build = createHash('sha256').update(source).update(files.join()).digest('hex').slice(0, 12)
      this.emitFile({
        type: 'asset',
        fileName: 'service-worker.js',
        source: `self.shellOfBuild = ${JSON.stringify({ build, shell: files })}\n${source}`,
      })
    },
  }
}
