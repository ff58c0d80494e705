/** Settings, API Tokens: what servers, jobs and scripts authenticate with. */
import { ActionIcon, Badge, Button, Group, Menu, Modal, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconDots, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { revokeToken, rotateToken, tokensQuery, type IssuedToken, type Token } from '../api/tokens.ts'
import { Confirm } from '../shared/confirm.tsx'
import { Nothing, Page, PageLoading } from '../shared/page.tsx'
import { Secret } from '../shared/secret.tsx'
import { Time } from '../shared/times.tsx'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { CreateToken } from './create-token.tsx'

type Asked =
  | { readonly what: 'create' }
  | { readonly what: 'rotate' | 'revoke'; readonly token: Token }
  | { readonly what: 'issued'; readonly token: IssuedToken }

export function TokensPage() {
  const { t } = useWords()
  const tokens = useQuery(tokensQuery)
  const queries = useQueryClient()
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const changed = () => queries.invalidateQueries({ queryKey: tokensQuery.queryKey })
  const issued = (token: IssuedToken) => {
    setAsked({ what: 'issued', token })
    void changed()
  }
  return (
    <Page
      title={t('tokens.title')}
      text={t('tokens.text')}
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsked({ what: 'create' })}>
          {t('tokens.create')}
        </Button>
      }
    >
      {tokens.isPending && <PageLoading />}
      {tokens.error && <Trouble error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.data?.length === 0 && <Nothing>{t('tokens.nothing')}</Nothing>}
      {tokens.data && tokens.data.length > 0 && <TokenTable tokens={tokens.data} onAsk={setAsked} />}
      <Modal
        opened={asked?.what === 'create' || asked?.what === 'issued'}
        onClose={close}
        title={t('tokens.create')}
        closeOnClickOutside={asked?.what !== 'issued'}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {asked?.what === 'create' && <CreateToken onIssued={issued} onCancel={close} />}
        {asked?.what === 'issued' && (
          <Secret title={asked.token.Name} value={asked.token.Token} onDone={close} />
        )}
      </Modal>
      {asked?.what === 'revoke' && (
        <Confirm
          opened
          title={t('tokens.revoke')}
          text={t('tokens.revokeText', { name: asked.token.Name })}
          action={t('tokens.revoke')}
          run={async () => {
            await revokeToken(asked.token.Id)
            await changed()
          }}
          onClose={close}
        />
      )}
      {asked?.what === 'rotate' && (
        <Confirm
          opened
          isDangerous={false}
          title={t('tokens.rotate')}
          text={t('tokens.rotateText', { name: asked.token.Name })}
          action={t('tokens.rotate')}
          run={async () => {
            const token = await rotateToken(asked.token.Id)
            setTimeout(() => issued(token))
          }}
          onClose={close}
        />
      )}
    </Page>
  )
}

interface TokenTableProps {
  readonly tokens: readonly Token[]
  readonly onAsk: (asked: Asked) => void
}

function TokenTable({ tokens, onAsk }: TokenTableProps) {
  const { t } = useWords()
  return (
    <div className="grid-scroll" tabIndex={0} role="region" aria-label={t('tokens.title')}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('tokens.name')}</Table.Th>
            <Table.Th>{t('tokens.roles')}</Table.Th>
            <Table.Th>{t('tokens.ends')}</Table.Th>
            <Table.Th>{t('tokens.lastUsed')}</Table.Th>
            <Table.Th>{t('tokens.expires')}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{t('actions')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map((token) => (
            <Table.Tr key={token.Id}>
              <Table.Th scope="row" fw={500}>
                {token.Name}
              </Table.Th>
              <Table.Td>
                <Group gap={4}>
                  {token.Roles.map((role) => (
                    <Badge key={role} color="gray" variant="default">
                      {role}
                    </Badge>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td ff="monospace">{token.Hint ?? '–'}</Table.Td>
              <Table.Td>{token.LastUsedOn ?? t('tokens.neverUsed')}</Table.Td>
              <Table.Td>
                {token.ExpiresAt ? <Time at={token.ExpiresAt} /> : <Text size="sm">{t('tokens.never')}</Text>}
              </Table.Td>
              <Table.Td>
                <Menu position="bottom-end">
                  <Menu.Target>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('actionsOf', { name: token.Name })}
                    >
                      <IconDots size={16} aria-hidden />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item onClick={() => onAsk({ what: 'rotate', token })}>
                      {t('tokens.rotate')}
                    </Menu.Item>
                    <Menu.Item onClick={() => onAsk({ what: 'revoke', token })}>
                      {t('tokens.revoke')}
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
