/** Connects editors: those that start `holdfast acp`, and VS Code, which needs a token. */
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../parts/button.tsx'
import { Section } from '../parts/page.tsx'
import { useEditorWords } from './words.ts'

export function Editors({ mayManage }: { mayManage: boolean }) {
  const words = useEditorWords()
  return (
    <Section
      title={words.title}
      note={words.note}
      actions={
        <>
          {mayManage && (
            <Link to="." search={{ new: 'vscode' }} className={buttonClass()}>
              {words.connectVsCode}
            </Link>
          )}
          <Link to="." search={{ new: 'editor' }} className={buttonClass()}>
            {words.connect}
          </Link>
        </>
      }
    />
  )
}
