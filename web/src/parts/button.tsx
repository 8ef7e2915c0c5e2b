/**
 * Buttons, and links that look like them. A button that waits for the server says so after a moment
 * and cannot be pressed twice.
 */
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { useWords } from '../translations/messages.tsx'
import { useWaitStage } from './wait-stage.ts'

export type Look = 'primary' | 'plain' | 'quiet' | 'danger'

const shape =
  'inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md px-3 py-1 font-medium whitespace-nowrap transition-colors ' +
  'max-md:min-h-10 disabled:opacity-60 aria-disabled:opacity-60'

const looks: Record<Look, string> = {
  primary: 'bg-accent text-accent-ink hover:bg-accent-hover',
  plain: 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--edge)] hover:bg-hover',
  quiet: 'text-quiet hover:bg-hover hover:text-ink',
  danger: 'bg-raised text-bad shadow-[inset_0_0_0_1px_var(--edge)] hover:bg-bad-wash',
}

export const buttonClass = (look: Look = 'plain', more = ''): string =>
  `${shape} ${looks[look]} ${more}`

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look
  readonly children: ReactNode
  readonly 'data-first'?: boolean
  readonly 'data-decide'?: string
  /** A digit presses it while digits are on its row (now/cursor-keys.ts). */
  readonly 'data-press'?: boolean
  readonly 'data-undo'?: number
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({ look = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={buttonClass(look, className)} {...rest} />
}

interface SubmitProps extends ButtonProps {
  readonly waiting: boolean
}

/** Stays focusable while it waits, so that the keyboard does not lose its place. */
export function SubmitButton({ waiting, children, onClick, ...rest }: SubmitProps) {
  const words = useWords()
  const waited = useWaitStage(waiting)
  return (
    <Button
      look="primary"
      type="submit"
      {...rest}
      aria-disabled={waiting || undefined}
      onClick={(event) => (waiting ? event.preventDefault() : onClick?.(event))}
    >
      {waiting && waited !== 'nothing' ? words.act.busy : children}
    </Button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string
}

export function IconButton({ label, className = '', type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md text-quiet transition-colors hover:bg-hover hover:text-ink disabled:opacity-60 max-md:size-10 ${className}`}
      {...rest}
    />
  )
}
