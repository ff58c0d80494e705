/** Signing in: e-mail address, password, and the company where it is not known. */
import {
  Alert,
  Anchor,
  Button,
  Center,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { fetchMe, logIn } from '../api/identity.ts'
import { ApiError } from '../api/request.ts'
import { useWords } from '../words/words.tsx'

const KEPT = 'daybook.company'

/** The company of the link that the first start prints, or of the last sign-in. */
function knownCompany(): string {
  const given = new URLSearchParams(window.location.search).get('company')
  return given ?? localStorage.getItem(KEPT) ?? ''
}

export interface SignInProps {
  readonly onSignedIn: () => unknown
  readonly email?: string
  readonly explanation?: string
}

export function SignIn({ onSignedIn, email: known = '', explanation }: SignInProps) {
  const { t } = useWords()
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [company, setCompany] = useState(knownCompany)
  const [asksCompany, setAsksCompany] = useState(company === '')
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<string>()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefused(undefined)
    try {
      const key = company.trim()
      await logIn({ Email: email.trim(), Password: password, CompanyKey: key === '' ? undefined : key })
      if (!(await cookieIsKept())) return setRefused(t('signIn.noCookie', { host: window.location.hostname }))
      if (key !== '') localStorage.setItem(KEPT, key)
      setPassword('')
      await onSignedIn()
    } catch (error) {
      setRefused(error instanceof ApiError ? error.message : t('trouble.unreachable'))
      if (error instanceof ApiError && error.faults.some(({ Field }) => Field === 'CompanyKey'))
        setAsksCompany(true)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        {explanation && <Text size="sm">{explanation}</Text>}
        {refused && (
          <Alert color="red" role="alert" variant="light">
            {refused}
          </Alert>
        )}
        <TextInput
          label={t('signIn.email')}
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          data-autofocus={known === '' || undefined}
        />
        <PasswordInput
          label={t('signIn.password')}
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus={known !== '' || undefined}
          visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword') }}
        />
        {asksCompany ? (
          <TextInput
            label={t('signIn.company')}
            description={t('signIn.companyText')}
            placeholder="company-…"
            autoComplete="organization"
            value={company}
            onChange={(event) => setCompany(event.currentTarget.value)}
          />
        ) : (
          <Anchor component="button" type="button" size="sm" onClick={() => setAsksCompany(true)}>
            {t('signIn.otherCompany')}
          </Anchor>
        )}
        <Button type="submit" loading={busy}>
          {t('signIn.do')}
        </Button>
      </Stack>
    </form>
  )
}

/** Whether the browser sends the cookie back: some keep none that is `Secure` from a plain http address. */
async function cookieIsKept(): Promise<boolean> {
  try {
    await fetchMe()
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false
    throw error
  }
}

export function SignInPage({ onSignedIn }: Pick<SignInProps, 'onSignedIn'>) {
  const { t } = useWords()
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="lg" w="100%" maw={400}>
        <Title order={1} mb={4}>
          Daybook
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          {t('signIn.text')}
        </Text>
        <SignIn onSignedIn={onSignedIn} />
      </Paper>
    </Center>
  )
}
