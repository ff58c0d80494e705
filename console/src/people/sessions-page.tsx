/** Where the signed-in person is signed in. */
import { useSession } from '../app/session.tsx'
import { Page } from '../shared/page.tsx'
import { useWords } from '../words/words.tsx'
import { Sessions } from './sessions.tsx'

export function SessionsPage() {
  const { t } = useWords()
  const { me } = useSession()
  return (
    <Page title={t('sessions.yours')} text={t('sessions.yoursText')}>
      <Sessions user={me.Id} />
    </Page>
  )
}
