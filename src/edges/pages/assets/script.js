/** Comfort for pages that work without it: keyboard, times in the reader's zone, menus that close. */

const EDITABLE = 'input, textarea, select, [contenteditable]'

for (const time of document.querySelectorAll('time[datetime]')) {
  const moment = new Date(time.dateTime)
  if (time.dateTime.includes('T') && !Number.isNaN(moment.getTime())) {
    time.title = `${time.textContent} UTC`
    time.textContent = moment.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  }
}

document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (!menu.contains(target)) {
      menu.open = false
    }
  }
})

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      menu.open = false
    }
  }
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey)
  if (event.key === '/' && isPlain && !event.target.closest(EDITABLE)) {
    event.preventDefault()
    document.querySelector('.banner input[type=search]')?.focus()
  }
})

for (const field of document.querySelectorAll('input[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    field.select()
    await navigator.clipboard.writeText(field.value)
    button.textContent = 'Copied'
  })
  field.after(button)
}
