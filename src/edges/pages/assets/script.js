/** Comfort for pages that work without it: keyboard, times in the reader's zone, menus that close. */

const EDITABLE = 'input, textarea, select, [contenteditable]'

for (const time of document.querySelectorAll('time[datetime]')) {
  const moment = new Date(time.dateTime)
  if (time.dateTime.includes('T') && !Number.isNaN(moment.getTime())) {
    const long = { dateStyle: 'full', timeStyle: 'long' }
    time.title = `${moment.toLocaleString(undefined, long)} (${time.textContent} UTC)`
    // the form that stood there, so that nothing moves
    time.textContent = moment.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' })
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

/** A bug: keys for its comments, a preview in place, and people for what is typed. */

const comments = [...document.querySelectorAll('article.comment')]
const keys = {
  j: () => goToComment(1),
  k: () => goToComment(-1),
  r: () => document.querySelector('form.change textarea[name=comment]')?.focus(),
  e: () => document.querySelector('form.change a.edit')?.click(),
  '?': () => {
    const list = document.querySelector('#keys')
    list.open = true
    list.scrollIntoView({ block: 'center' })
  },
}

/** Leads to the page that ends with the comment of the address, once. */
function findComment() {
  const [, wanted] = /^#c(\d+)$/.exec(location.hash) ?? []
  const address = new URL(location)
  const before = `${Number(wanted) + 1}`
  const isElsewhere = wanted !== undefined && !document.getElementById(`c${wanted}`)
  const isPaged = document.querySelector('#older') !== null || address.searchParams.has('before')
  if (isElsewhere && isPaged && address.searchParams.get('before') !== before) {
    address.searchParams.set('before', before)
    location.replace(address)
  }
}

findComment()
addEventListener('hashchange', findComment)

/** From the comment that has the focus, or else from the first one in sight. */
function goToComment(step) {
  const focused = comments.indexOf(document.activeElement?.closest('article.comment'))
  const inSight = comments.findIndex((one) => one.getBoundingClientRect().top >= 0)
  const from = inSight === -1 ? comments.length : inSight
  const next = comments[focused === -1 ? from - (step > 0 ? 0 : 1) : focused + step]
  next?.scrollIntoView()
  next?.querySelector('a.count')?.focus({ preventScroll: true })
}

if (document.querySelector('#keys') !== null) {
  document.addEventListener('keydown', (event) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey)
    if (isPlain && event.key in keys && !event.target.closest(EDITABLE)) {
      event.preventDefault()
      keys[event.key]()
    }
  })
}

document.querySelector('form.change')?.addEventListener('submit', async (event) => {
  const { submitter } = event
  if (!submitter?.formAction.endsWith('/preview')) {
    return
  }
  event.preventDefault()
  const answer = await fetch(submitter.formAction, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(new FormData(event.target)),
  })
  // rendered by the service, which lets no markup of the text through
  document.querySelector('#preview').innerHTML = answer.ok ? (await answer.json()).html : ''
})

for (const input of document.querySelectorAll('[data-suggest=people]')) {
  const list = document.createElement('datalist')
  list.id = `${input.name}-people`
  input.after(list)
  input.setAttribute('list', list.id)
  let timer
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => suggest(input, list), 200)
  })
}

async function suggest(input, list) {
  const [, before, match] = /^(.*[\s,])?([^\s,]*)$/.exec(input.value) ?? []
  if (!match || match.length < 2) {
    return
  }
  const answer = await fetch(`/suggest/people?${new URLSearchParams({ match })}`)
  const { people } = answer.ok ? await answer.json() : { people: [] }
  list.replaceChildren(
    ...people.map(({ name, real_name: label }) => {
      const option = document.createElement('option')
      option.value = (before ?? '') + name
      option.label = label
      return option
    }),
  )
}

const summary = document.querySelector('input[data-duplicates]')
const found = document.querySelector('#possible-duplicates')
let waiting
summary?.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(async () => {
    const asked = new URLSearchParams({
      summary: summary.value,
      product: summary.dataset.duplicates,
    })
    const answer = await fetch(`/suggest/duplicates?${asked}`)
    if (answer.ok && asked.get('summary') === summary.value) {
      found.innerHTML = await answer.text()
    }
  }, 400)
})
