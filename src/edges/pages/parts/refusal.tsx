/** Why something was not done; nothing where there is no reason. */
export function Refusal({ message }: { message: string | null | undefined }) {
  return message ? (
    <p class="notice refusal" role="alert">
      {message}
    </p>
  ) : null
}
