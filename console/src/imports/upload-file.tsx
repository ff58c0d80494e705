/** A file is chosen or dropped, and sent; how far it is shows. */
import { Anchor, Button, Checkbox, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type DragEvent } from 'react'
import type { Import, Mapping } from '../api/imports.ts'
import { profilesQuery } from '../api/kept-imports.ts'
import type { ObjectSeen } from '../api/objects.ts'
import { STATEMENT } from '../api/bank.ts'
import { ApiError, urlOf } from '../api/request.ts'
import { upload } from '../api/upload.ts'
import { spaced } from '../shared/names.ts'
import { Trouble } from '../shared/trouble.tsx'
import { useWords } from '../words/words.tsx'
import { ModeSelect } from './mode-select.tsx'

export interface UploadFileProps {
  readonly objects: readonly ObjectSeen[]
  /** The object that is chosen at first. */
  readonly into: string
  readonly onUploaded: (made: Import) => void
}

const TYPES = '.csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl'
const OF_BANKS = '.xml,.sta,.mt940,.940,.ofx,.qfx,.qbo,.bai,.bai2,.txt,.csv,.xlsx'

export function UploadFile({ objects, into, onUploaded }: UploadFileProps) {
  const { t } = useWords()
  const [object, setObject] = useState(into)
  const isBank = object === STATEMENT
  const [mode, setMode] = useState<Mapping['Mode']>('create')
  const [past, setPast] = useState(false)
  const [profile, setProfile] = useState('')
  const profiles = (useQuery(profilesQuery).data ?? []).filter((one) => one.Object === object)
  const [part, setPart] = useState(0)
  const aborting = useRef(new AbortController())
  useEffect(() => {
    const { current } = aborting
    return () => current.abort()
  }, [])
  const sending = useMutation({
    mutationFn: ({ file, again }: { readonly file: File; readonly again: boolean }) =>
      upload<Import>({
        path: `${object}/import`,
        query: {
          fileName: file.name,
          ...(!isBank && (profile === '' ? { mode } : { profile })),
          ...(!isBank && profile === '' && past && { allowPastDates: 'true' }),
          ...(again && { again: 'true' }),
        },
        file,
        onProgress: setPart,
        signal: aborting.current.signal,
      }),
    onSuccess: onUploaded,
    retry: false,
  })
  const taken =
    sending.error instanceof ApiError && sending.error.status === 409 ? sending.variables : undefined
  const send = (file: File, again = false) => {
    setPart(0)
    sending.mutate({ file, again })
  }
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('imports.into')}
        data={objects.map(({ Object, Name }) => ({ value: Object, label: spaced(Name) }))}
        value={object}
        onChange={(event) => {
          setObject(event.currentTarget.value)
          setProfile('')
        }}
      />
      {!isBank && profiles.length > 0 && (
        <NativeSelect
          label={t('profiles.one')}
          data={[
            { value: '', label: t('profiles.none') },
            ...profiles.map(({ Id, Name }) => ({ value: Id, label: Name })),
          ]}
          value={profile}
          onChange={(event) => setProfile(event.currentTarget.value)}
        />
      )}
      {!isBank && profile === '' && (
        <Choices mode={mode} onMode={setMode} past={past} onPast={setPast} object={object} />
      )}
      <DropPlace isBank={isBank} busy={sending.isPending} onFile={(file) => send(file)} />
      {sending.isPending && (
        <div role="status">
          <Progress value={part * 100} aria-label={t('imports.sending')} />
          <Text size="sm">{t('imports.sent', { part: Math.floor(part * 100) })}</Text>
        </div>
      )}
      {sending.error && <Trouble error={sending.error} />}
      {taken && (
        <Group justify="flex-end">
          <Button variant="default" onClick={() => send(taken.file, true)}>
            {t('imports.again')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

interface ChoicesProps {
  readonly object: string
  readonly mode: Mapping['Mode']
  readonly onMode: (mode: Mapping['Mode']) => void
  readonly past: boolean
  readonly onPast: (past: boolean) => void
}

/** What a bank file says itself, and others do not. */
function Choices({ object, mode, onMode, past, onPast }: ChoicesProps) {
  const { t } = useWords()
  return (
    <>
      <ModeSelect value={mode} onChange={onMode} />
      <Checkbox
        label={t('imports.past')}
        description={t('imports.pastText')}
        checked={past}
        onChange={(event) => onPast(event.currentTarget.checked)}
      />
      <Anchor size="sm" href={urlOf(`${object}/import/template.xlsx`)} download={`${object}-template.xlsx`}>
        {t('imports.template')}
      </Anchor>
    </>
  )
}

interface DropPlaceProps {
  readonly isBank: boolean
  readonly busy: boolean
  readonly onFile: (file: File) => void
}

function DropPlace({ isBank, busy, onFile }: DropPlaceProps) {
  const { t } = useWords()
  const [over, setOver] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)
  const drag = (is: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(is)
  }
  return (
    <div
      className="drop-place"
      data-over={over || undefined}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event)
        const [file] = event.dataTransfer.files
        if (file && !busy) onFile(file)
      }}
    >
      <Text size="sm">{t('imports.drop')}</Text>
      <Button
        variant="default"
        loading={busy}
        leftSection={<IconUpload size={16} aria-hidden />}
        onClick={() => chooser.current?.click()}
      >
        {t('imports.choose')}
      </Button>
      <Text size="xs" c="dimmed">
        {t(isBank ? 'imports.bankTypes' : 'imports.types')}
      </Text>
      <input
        ref={chooser}
        type="file"
        accept={isBank ? OF_BANKS : TYPES}
        hidden
        aria-label={t('imports.choose')}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file) onFile(file)
        }}
      />
    </div>
  )
}
