/** What was refused before it was sent may stand out of sight: whoever pressed the button is taken to the first of it. */
import type { FormEvent } from 'react'

export function showFirstWrong({ currentTarget: form }: Pick<FormEvent, 'currentTarget'>): void {
  // It is marked when the form is drawn again.
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
}
