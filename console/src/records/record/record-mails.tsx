/** The mails that were written about a record. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { messagesQuery, type Message } from '../../api/templates.ts'
import { TurnPages } from '../../shared/pages.tsx'
import { MessageList } from '../../templates/messages-table.tsx'

export function RecordMails({ recordKey }: { readonly recordKey: string }) {
  const [page, setPage] = useState<string>()
  const messages = useQuery(messagesQuery(`Record eq '${recordKey.replaceAll("'", "''")}'`, page))
  return (
    <>
      <MessageList
        ofRecord
        query={{ ...messages, data: messages.data?.messages } as UseQueryResult<readonly Message[]>}
      />
      <TurnPages pagination={messages.data?.pagination} onPage={setPage} />
    </>
  )
}
