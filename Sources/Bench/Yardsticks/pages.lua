-- For wrk: the pages of all users in turn, as a first sync asks for them.
local users = tonumber(os.getenv("USERS"))
local records = tonumber(os.getenv("RECORDS"))
local size = tonumber(os.getenv("PAGE_SIZE"))
local asked = 0

function request()
  asked = asked + 1
  local user = asked % users + 1
  local offset = math.floor(asked / users) * size % records
  return wrk.format("GET", string.format("/static/user-%06d/records?offset=%d&limit=%d", user, offset, size))
end
