/**
 * Who is signed in. A session that ends while pages are open shows the sign-in over them: what was typed is still there
 * afterwards. Of the session itself nothing is kept here; the browser keeps its cookie.
 */
import { Center, Loader, Modal } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react'
import { fetchMe, logOut, type Me } from '../api/identity.ts'
import { objectsQuery } from '../api/objects.ts'
import { ApiError, whenSignedOut } from '../api/request.ts'
import { forgetDrafts } from '../shared/drafts.ts'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { SignIn, SignInPage } from './sign-in.tsx'

export interface Session {
  readonly me: Me
  signOut(): Promise<void>
}

const Context = createContext<Session | undefined>(undefined)

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const me = useQuery({
    queryKey: ['me'],
    queryFn: async () => {
      const found = await fetchMe()
      // Every page needs them: they come while the page is loaded.
      void queries.prefetchQuery(objectsQuery)
      return found
    },
    staleTime: Infinity,
  })
  const [ended, setEnded] = useState(false)
  const signedIn = me.data
  useEffect(() => {
    if (signedIn) whenSignedOut(() => setEnded(true))
  }, [signedIn])

  const session = useMemo<Session | undefined>(
    () =>
      signedIn && {
        me: signedIn,
        async signOut() {
          await logOut().catch(() => {})
          forgetDrafts()
          queries.clear()
          window.location.reload()
        },
      },
    [signedIn, queries],
  )
  if (me.isPending)
    return (
      <Center mih="100dvh">
        <Loader aria-label={t('loading')} />
      </Center>
    )
  if (!session) {
    if (me.error instanceof ApiError && me.error.status === 401)
      return <SignInPage onSignedIn={() => me.refetch()} />
    return <Trouble error={me.error} onRetry={() => void me.refetch()} />
  }
  const back = async () => {
    const { data } = await me.refetch()
    setEnded(false)
    // Another person has other rights: nothing that was shown to the first is kept.
    if (data && data.Id !== session.me.Id) window.location.reload()
    else await queries.invalidateQueries()
  }
  return (
    <Context value={session}>
      {children}
      <Modal
        opened={ended}
        onClose={() => {}}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        zIndex={1000}
        title={t('signIn.ended')}
      >
        <SignIn onSignedIn={back} email={session.me.Email ?? ''} explanation={t('signIn.endedText')} />
      </Modal>
    </Context>
  )
}

export function useSession(): Session {
  const session = use(Context)
  if (!session) throw new Error('useSession outside of SessionProvider')
  return session
}
