/** For addresses that lead nowhere, and for things that are gone. */
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../parts/button.tsx'
import { useTitle } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'

export function NotFound() {
  const words = useWords()
  useTitle(words.notFound.title)
  return (
    <main className="flex min-h-dvh items-center justify-center px-4">
      <Gone title={words.notFound.title} text={words.notFound.text} />
    </main>
  )
}

export function Gone({ title, text }: { title: string; text: string }) {
  const words = useWords()
  return (
    <div className="mx-auto flex max-w-md flex-col items-start gap-3 px-4 py-16">
      <h1 className="text-lg font-semibold">{title}</h1>
      <p className="text-quiet">{text}</p>
      <Link to="/" className={buttonClass()}>
        {words.notFound.home}
      </Link>
    </div>
  )
}
