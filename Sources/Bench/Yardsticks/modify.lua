-- wrk: the requests that a push sends, one after the other; USERS from FIRST_USER on, each with ROWS records, 200 a
-- request. They are put together before the first is sent. An edit is forced, for its tag is not known; the tag is
-- shorter by what the word is longer, so that a request is as long as the product's.
local first, users = tonumber(os.getenv("FIRST_USER")), tonumber(os.getenv("USERS"))
local rows, batch = tonumber(os.getenv("ROWS")), 200
local operation = '{"operationType":"forceUpdate","record":{"recordName":"vid_%05d","recordType":"WatchedStatus",'
    .. '"recordChangeTag":"%s","fields":{"videoId":{"value":"vid_%05d"},"status":{"value":"watched"},'
    .. '"lastModified":{"value":1767225600000,"type":"TIMESTAMP"},"playbackPosition":{"value":%d.5,"type":"DOUBLE"}}}}'
local headers = { ["Content-Type"] = "application/json" }
local requests, at = {}, 0

function init()
    for user = first, first + users - 1 do
        local path = string.format(
            "/database/1/iCloud.com.metube.app/production/private/records/modify"
                .. "?ckAPIToken=api-token&ckWebAuthToken=token-user-%06d", user)
        for from = 0, rows - 1, batch do
            local operations = {}
            for row = from, math.min(from + batch, rows) - 1 do
                operations[#operations + 1] = string.format(operation, row, "k", row, row % 90)
            end
            local body = '{"atomic":false,"operations":[' .. table.concat(operations, ",")
                .. '],"zoneID":{"zoneName":"WatchedStatusZone"}}'
            requests[#requests + 1] = wrk.format("POST", path, headers, body)
        end
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end
