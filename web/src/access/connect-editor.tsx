/**
 * What to enter in an editor that speaks the Agent Client Protocol (EC11): the same as
 * `holdfast acp --print` prints on the machine of the server.
 */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Editor } from '../../../src/protocol/conversations/editor.ts'
import { client } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { Choices } from '../parts/choices.tsx'
import { CopySecret } from '../parts/copy.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { useEditorWords } from './words.ts'

export function ConnectEditor({ onClose }: { onClose: () => void }) {
  const words = useWords()
  const editorWords = useEditorWords()
  const [editor, setEditor] = useState<Editor>('zed')
  const { data, error, refetch } = useQuery({
    queryKey: ['editors'],
    queryFn: ({ signal }) => client.get('/api/editors', { signal }),
  })
  const retry = () => void refetch()
  const settings = data?.items.find((each) => each.editor === editor)
  return (
    <InputDialog open wide title={editorWords.connect} onClose={onClose}>
      <DialogBody>
        <p className="text-quiet">{editorWords.about}</p>
        <ProblemNote error={error} onRetry={retry} />
        {!data && !error && <Waiting what={editorWords.settings} onRetry={retry} />}
        {data && (
          <Choices
            label={editorWords.editor}
            value={editor}
            onValue={setEditor}
            options={data.items.map((each) => ({
              value: each.editor,
              name: editorWords.names[each.editor],
            }))}
          />
        )}
        {settings && (
          <>
            <p>{editorWords.where[editor]}</p>
            <CopySecret key={editor} secret={settings.text} onCopied={() => {}} />
            <p className="text-quiet">{editorWords.elsewhere}</p>
          </>
        )}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{words.act.done}</Button>
      </DialogFoot>
    </InputDialog>
  )
}
