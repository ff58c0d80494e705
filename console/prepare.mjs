/**
 * Builds the console when packages are installed. Where they were installed without those that build it
 * (`npm ci --omit=dev`), a `dist` that is there is served, and otherwise a page that says how to build it.
 */
import { join } from 'node:path'

const vite = await import('vite').catch(() => undefined)
if (vite) await vite.build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
else process.stdout.write('The console is not built here: vite is not installed.\n')
