/** A new schedule: whose files, from where, when, and what is done with refused rows. */
import { NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { makeSchedule, type Profile, type ScheduleBody, type Source } from '../api/kept-imports.ts'
import { STATEMENT } from '../api/bank.ts'
import type { ObjectSeen } from '../api/objects.ts'
import { rolesQuery } from '../api/people.ts'
import { Form } from '../shared/form.tsx'
import { NameInput } from '../shared/inputs.tsx'
import { spaced } from '../shared/names.ts'
import { useWords } from '../words/words.tsx'

export interface ScheduleFormProps {
  readonly objects: readonly ObjectSeen[]
  readonly profiles: readonly Profile[]
  readonly onDone: () => void
  readonly onCancel: () => void
}

const COMMITS = ['whenNoErrors', 'always', 'never'] as const

const FIRST = {
  name: '',
  object: '',
  profile: '',
  role: '',
  kind: 'folder' as Source['Kind'],
  place: '',
  user: '',
  password: '',
  path: '',
  files: '*.csv',
  cron: '0 6 * * 1-5',
  commit: 'whenNoErrors' as ScheduleBody['Commit'],
}
type Given = typeof FIRST

export function ScheduleForm({ objects, profiles, onDone, onCancel }: ScheduleFormProps) {
  const { t } = useWords()
  const roles = useQuery(rolesQuery).data ?? []
  const [given, setGiven] = useState<Given>({ ...FIRST, object: objects[0]?.Object ?? '' })
  const set = (part: Partial<Given>) => setGiven((now) => ({ ...now, ...part }))
  const making = useMutation({ mutationFn: () => makeSchedule(bodyOf(given)), onSuccess: onDone })
  const fitting = profiles.filter(({ Object }) => Object === given.object)
  const text = (name: keyof Given, label: string, more: object = {}) => (
    <TextInput
      label={label}
      value={given[name]}
      onChange={({ currentTarget: { value } }) => set({ [name]: value })}
      {...more}
    />
  )
  return (
    <Form sending={making} action={t('schedules.new')} onCancel={onCancel}>
      <NameInput value={given.name} onChange={(name) => set({ name })} />
      <NativeSelect
        label={t('imports.into')}
        data={objects.map(({ Object, Name }) => ({ value: Object, label: spaced(Name) }))}
        value={given.object}
        onChange={({ currentTarget: { value } }) => set({ object: value, profile: '' })}
      />
      {given.object !== STATEMENT && (
        <NativeSelect
          label={t('profiles.one')}
          description={fitting.length === 0 ? t('schedules.noProfile') : undefined}
          required
          data={[{ value: '', label: '–' }, ...fitting.map(({ Id, Name }) => ({ value: Id, label: Name }))]}
          value={given.profile}
          onChange={({ currentTarget: { value } }) => set({ profile: value })}
        />
      )}
      <NativeSelect
        label={t('integrations.runAs')}
        required
        data={['', ...roles.map(({ Name }) => Name)]}
        value={given.role}
        onChange={({ currentTarget: { value } }) => set({ role: value })}
      />
      <NativeSelect
        label={t('schedules.from')}
        data={[
          { value: 'folder', label: t('schedules.folder') },
          { value: 'sftp', label: t('schedules.sftp') },
        ]}
        value={given.kind}
        onChange={({ currentTarget: { value } }) => set({ kind: value as Source['Kind'] })}
      />
      {text('place', t(given.kind === 'folder' ? 'schedules.folderName' : 'schedules.host'), {
        required: true,
        description: t(given.kind === 'folder' ? 'schedules.folderText' : 'schedules.hostText'),
      })}
      {given.kind === 'sftp' && (
        <>
          {text('user', t('schedules.user'), { required: true, autoComplete: 'off' })}
          <PasswordInput
            label={t('signIn.password')}
            autoComplete="new-password"
            required
            value={given.password}
            onChange={({ currentTarget: { value } }) => set({ password: value })}
            visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword') }}
          />
        </>
      )}
      {text('path', t('schedules.path'))}
      {text('files', t('schedules.files'), { required: true, description: t('schedules.filesText') })}
      {text('cron', t('schedules.when'), { required: true, description: t('schedules.whenText') })}
      <NativeSelect
        label={t('schedules.commit')}
        data={COMMITS.map((value) => ({ value, label: t(`scheduleCommit.${value}`) }))}
        value={given.commit}
        onChange={({ currentTarget: { value } }) => set({ commit: value as ScheduleBody['Commit'] })}
      />
    </Form>
  )
}

function bodyOf({
  name,
  object,
  profile,
  role,
  kind,
  place,
  user,
  password,
  path,
  files,
  cron,
  commit,
}: Given) {
  const [, host = place, port] = /^(.*):(\d+)$/.exec(place) ?? []
  return {
    Name: name.trim(),
    Object: object,
    Profile: profile === '' ? null : profile,
    RunAs: role,
    Source:
      kind === 'folder'
        ? { Kind: kind, Folder: place.trim(), Path: path.trim() }
        : {
            Kind: kind,
            Host: host.trim(),
            ...(port !== undefined && { Port: Number(port) }),
            User: user.trim(),
            Password: password,
            Path: path.trim(),
          },
    Files: files.trim(),
    Cron: cron.trim(),
    TimeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    Commit: commit,
  } satisfies ScheduleBody
}
