import CCurl
import CCurlShim

/// The response of a transfer that curl has ended, or why there is none.
func outcome(
    of transfer: Transfer, on easy: EasyHandle, code: CURLcode, limits: HTTPLimits
) -> TransferResult {
    guard code == CURLE_OK, transfer.refusal == nil else {
        return .failure(failure(of: transfer, on: easy, code: code, limits: limits))
    }
    guard transfer.isComplete else { return .failure(.truncated) }
    let status = jr_getinfo_long(easy.pointer, CURLINFO_RESPONSE_CODE)
    // curl takes a first line without a status for an answer of status 0, and an interim one for the last.
    guard status >= 200 else { return .failure(.sendOrReceive("the answer has no status")) }
    var response = HTTPResponse(
        status: status, headers: transfer.headers, body: transfer.body,
        wireBytes: transfer.wireBytes)
    // Whoever still holds the transfer, such as a cancellation handler, does not hold its page.
    transfer.body = []
    response.hold = transfer.hold
    return .success(response)
}

/// How far curl has come with a transfer.
func phase(of easy: EasyHandle) -> HTTPError.Phase {
    if jr_getinfo_size(easy.pointer, CURLINFO_STARTTRANSFER_TIME_T) > 0 { return .receiving }
    if jr_getinfo_size(easy.pointer, CURLINFO_PRETRANSFER_TIME_T) > 0 { return .waiting }
    if jr_getinfo_size(easy.pointer, CURLINFO_NAMELOOKUP_TIME_T) > 0 { return .connecting }
    return .resolving
}

private func failure(
    of transfer: Transfer, on easy: EasyHandle, code: CURLcode, limits: HTTPLimits
) -> HTTPError {
    if let refusal = transfer.refusal { return refusal }
    if let lack = lack(transfer, code, systemError: Int32(clamping: systemError(of: easy))) {
        return .lacking(lack)
    }
    switch code {
    case CURLE_URL_MALFORMAT: return .invalidRequest("the URL can't be used")
    case CURLE_COULDNT_RESOLVE_HOST: return .resolve(easy.failureText(code))
    case CURLE_COULDNT_CONNECT: return transfer.addressRefusal ?? .connect(easy.failureText(code))
    case CURLE_SSL_CONNECT_ERROR: return .connect(easy.failureText(code))
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
        CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
        return .tls(easy.failureText(code))
    case CURLE_OPERATION_TIMEDOUT: return .timedOut(phase: phase(of: easy))
    case CURLE_PARTIAL_FILE: return .truncated
    case CURLE_FILESIZE_EXCEEDED: return .tooLarge(.wire, limit: limits.wireBytesMax)
    // Without an error of the system it was the body's chunks that curl could not read.
    case CURLE_RECV_ERROR where transfer.headerBytes > 0 && systemError(of: easy) == 0:
        return .truncated
    default: return .sendOrReceive(easy.failureText(code))
    }
}

private func systemError(of easy: EasyHandle) -> Int {
    jr_getinfo_long(easy.pointer, CURLINFO_OS_ERRNO)
}
