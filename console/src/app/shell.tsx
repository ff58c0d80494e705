/** What is around every page: the header with the search, the navigation, the way to the content. */
import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import {
  IconDevices,
  IconLanguage,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { PageLoading } from '../shared/page.tsx'
import { LANGUAGES, useWords } from '../words/words.tsx'
import { Go } from './go.tsx'
import { Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { useSession } from './session.tsx'

export function Shell() {
  const { t } = useWords()
  const [opened, { toggle, close }] = useDisclosure()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const first = useRef(true)
  useEffect(() => {
    close()
    // Who navigates by keyboard or listens goes on in the new page, not behind the link that led there.
    if (!first.current) document.getElementById('content')?.focus({ preventScroll: true })
    first.current = false
  }, [path, close])
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'md' }}
    >
      <a href="#content" className="skip-link">
        {t('shell.skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="sm" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('shell.navigation')}
              aria-expanded={opened}
            />
            <Text component={Go} to="/" fw={700} className="quiet-link">
              Daybook
            </Text>
          </Group>
          <SearchButton />
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p={6} aria-label={t('shell.navigation')}>
        <AppShell.Section grow component={ScrollArea} type="auto" offsetScrollbars="y" scrollbarSize={8}>
          <Navigation />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        <Suspense fallback={<PageLoading />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <Palette />
    </AppShell>
  )
}

function SearchButton() {
  const { t } = useWords()
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        size="xs"
        w={320}
        justify="space-between"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={spotlight.open}
        styles={{ label: { flex: 1, textAlign: 'left' } }}
        fw={400}
      >
        {t('palette.open')}
      </Button>
      <ActionIcon
        hiddenFrom="sm"
        variant="default"
        size="lg"
        aria-label={t('palette.open')}
        onClick={spotlight.open}
      >
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    </>
  )
}

function UserMenu() {
  const { t, language, setLanguage } = useWords()
  const { me, signOut } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const dark =
    colorScheme === 'dark' ||
    (colorScheme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Tooltip label={`${me.Name}, ${me.Company.Name}`}>
          <UnstyledButton px={4}>
            <VisuallyHidden>{t('shell.account')}: </VisuallyHidden>
            <Group gap={6} wrap="nowrap">
              <IconUserCircle size={22} aria-hidden />
              <Text size="sm" visibleFrom="md" maw={160} truncate>
                {me.Name}
              </Text>
            </Group>
          </UnstyledButton>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.Company.Name}
          <br />
          {me.Email ?? me.Name}
          <br />
          {me.Roles.join(', ')}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item
          leftSection={dark ? <IconSun size={16} aria-hidden /> : <IconMoon size={16} aria-hidden />}
          onClick={() => setColorScheme(dark ? 'light' : 'dark')}
        >
          {dark ? t('shell.light') : t('shell.dark')}
        </Menu.Item>
        {LANGUAGES.filter((one) => one !== language).map((one) => (
          <Menu.Item
            key={one}
            lang={one}
            leftSection={<IconLanguage size={16} aria-hidden />}
            onClick={() => setLanguage(one)}
          >
            {one === 'en' ? 'English' : 'Norsk bokmål'}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Go} to="/settings/sessions" leftSection={<IconDevices size={16} aria-hidden />}>
          {t('sessions.yours')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
