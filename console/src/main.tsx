/** The console: its providers, and the pages inside them. */
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './app/console.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { nonce } from './app/nonce.ts'
import { queries } from './app/queries.ts'
import { router } from './app/router.tsx'
import { SessionProvider } from './app/session.tsx'
import { resolver, theme } from './app/theme.ts'
import { WordsProvider } from './words/words.tsx'

setNonce(nonce)
// The page that the address names is loaded while it is asked who is signed in.
void router.load()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolver}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <WordsProvider>
        <QueryClientProvider client={queries}>
          <Notifications position="bottom-right" containerWidth={360} />
          <SessionProvider>
            <RouterProvider router={router} />
          </SessionProvider>
        </QueryClientProvider>
      </WordsProvider>
    </MantineProvider>
  </StrictMode>,
)
