/** How the console is built: to `dist`, a page and hashed assets, each also packed by gzip for the service to send as it is. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const LEAST_BYTES = 1_000

function packed(): Plugin {
  let folder = ''
  return {
    name: 'packed',
    configResolved(config) {
      folder = join(config.root, config.build.outDir, 'assets')
    },
    closeBundle() {
      for (const name of readdirSync(folder)) {
        const bytes = readFileSync(join(folder, name))
        if (bytes.length >= LEAST_BYTES)
          writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  // Relative: the service puts the way to the assets before them, and a proxy may serve it below a path.
  base: './',
  root: import.meta.dirname,
  plugins: [react(), packed()],
  html: { cspNonce: '__NONCE__' },
  // The bound on the first load is a test's.
  build: {
    chunkSizeWarningLimit: 1_000,
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:3000' } },
})
