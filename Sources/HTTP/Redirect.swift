/// The address that a response redirects its request to; nil when it redirects nowhere.
///
/// Throws `redirectRefused` when the address lies outside the request's origin.
func redirect(of request: HTTPRequest, by response: HTTPResponse) throws(HTTPError) -> String? {
    guard [301, 302, 303, 307, 308].contains(response.status),
        let location = response.header("Location")
    else { return nil }
    guard let target = Origin.resolve(location, against: request.url),
        let origin = Origin(url: target)
    else { throw .redirectRefused(host: "an address that is no http URL") }
    guard request.method == "GET", origin == Origin(url: request.url) else {
        throw .redirectRefused(host: origin.host)
    }
    return target
}
