/**
 * An editor for SQL that knows the tables and their columns. Ctrl-Enter asks. Its words have no colours: over coloured text
 * browsers type with an inline style, which the policy of the page refuses.
 */
import { autocompletion, closeCompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { sql } from '@codemirror/lang-sql'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { nonce } from '../app/nonce.ts'
import type { WarehouseTable } from '../api/warehouse.ts'

export interface SqlEditorProps {
  readonly label: string
  readonly first: string
  readonly tables: readonly WarehouseTable[]
  readonly onText: (text: string) => void
  readonly onAsk: () => void
}

export function SqlEditor({ label, first, tables, onText, onAsk }: SqlEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const asked = useRef({ onText, onAsk })
  asked.current = { onText, onAsk }
  useEffect(() => {
    const schema = Object.fromEntries(
      tables.map(({ Name, Columns }) => [Name, Columns.map((column) => column.Name)]),
    )
    const ask = {
      key: 'Mod-Enter',
      run: (editor: EditorView) => {
        closeCompletion(editor)
        asked.current.onAsk()
        return true
      },
    }
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: first,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          history(),
          sql({ schema }),
          autocompletion(),
          keymap.of([ask, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) asked.current.onText(state.doc.toString())
          }),
        ],
      }),
    })
    return () => view.destroy()
    // The text is the editor's own once it is there.
  }, [tables, label])
  return <div ref={place} className="sql-editor" />
}
