/** Builds the page into dist/web; `vite` alone serves it while it is written, in front of a running server (HOLDFAST_URL). */
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from './web/build/compressed.ts'
import { offlineShell } from './web/build/offline-shell.ts'

const server = process.env['HOLDFAST_URL'] ?? 'http://127.0.0.1:4747'

/** The server accepts only its own Host and Origin, so the proxy speaks as if it were the server's own page. */
const proxy = { target: server, changeOrigin: true, headers: { origin: new URL(server).origin } }

export default defineConfig({
  root: 'web',
  plugins: [react({ jsxImportSource: '#page' }), tailwind(), offlineShell(), compressed()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // The Content-Security-Policy allows neither data: addresses nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Whoever is given the page is given the licences of what is in it.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: {
        // What every place needs is one file each, not thirty: our own parts, and the libraries that change seldom.
        codeSplitting: {
          groups: [
            {
              name: 'libraries',
              test: /node_modules[\\/](?:react|react-dom|scheduler|@tanstack|use-sync-external-store)[\\/]/,
            },
            { name: 'base-ui', test: /node_modules[\\/](?:@base-ui|@floating-ui)[\\/]/ },
            {
              name: 'shell',
              test: /(?:web[\\/]src[\\/](?:live|parts|preferences|shell[\\/](?!palette\.|palette-items|palette-search|keys-dialog|creation)|router|route-files|access[\\/]internal-path|main|translations[\\/]messages)|src[\\/](?:client[\\/](?!relay)|(?:protocol|domain)[\\/](?!status-text-list|projects[\\/]|approvals[\\/]wanted)))/,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: { '/api': proxy, '/healthz': proxy, '/readyz': proxy, '/ws': { ...proxy, ws: true } },
  },
})
