-- A session of Neovim's own client: findings of a document, a fix, and a rename. It prints what happens.
local function out(...) io.stdout:write(string.format(...) .. '\n') end
local function wait(what, holds)
  if not vim.wait(60000, holds, 20) then
    out('%s: it did not happen', what)
    vim.cmd('cquit')
  end
end

vim.cmd('edit a.md')
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({ name = 'orbweaver', cmd = { vim.env.ORBWEAVER, 'lsp' }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, id)
local function codes()
  local all = {}
  for _, d in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(all, string.format('%d:%d %s', d.lnum + 1, d.col + 1, d.code))
  end
  table.sort(all)
  return table.concat(all, ', ')
end
wait('the findings', function() return codes() ~= '' end)
out('findings: %s', codes())

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 60000)
  assert(answers[id] and not answers[id].err, vim.inspect(answers))
  return answers[id].result
end
local encoding = vim.lsp.get_client_by_id(id).offset_encoding
local params = { textDocument = vim.lsp.util.make_text_document_params(), range = { start = { line = 0, character = 0 }, ['end'] = { line = 99, character = 0 } },
  context = { diagnostics = {}, only = { 'source.fixAll' } } }
for _, action in ipairs(ask('textDocument/codeAction', params)) do
  out('action: %s', action.title)
  vim.lsp.util.apply_workspace_edit((action.edit and action or ask('codeAction/resolve', action)).edit, encoding)
end
out('text: %s', vim.api.nvim_buf_get_lines(buffer, 2, 3, true)[1])
wait('the end of the findings', function() return codes() == '' end)
out('findings: %s', codes())

vim.cmd('edit b.md')
buffer = vim.api.nvim_get_current_buf()
vim.lsp.buf_attach_client(buffer, id)
vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 0, character = 3 }, newName = 'New part' }), encoding)
vim.cmd('silent wall')
for _, name in ipairs({ 'a.md', 'b.md', 'guide.md' }) do
  out('%s: %s', name, table.concat(vim.fn.readfile(name), ' | '))
end
vim.lsp.stop_client(id)
vim.cmd('qall!')
